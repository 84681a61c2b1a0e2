export type Theme = "auto" | "light" | "dark";

export const themes: Record<Theme, { sign: string; title: string }> = {
  auto: { sign: "◐", title: "as the system" },
  light: { sign: "☀", title: "light" },
  dark: { sign: "☾", title: "dark" },
};

const key = "whet-theme";

export function nextTheme(t: Theme): Theme {
  return t === "auto" ? "light" : t === "light" ? "dark" : "auto";
}

export function resolveTheme(t: Theme): "light" | "dark" {
  if (t !== "auto") return t;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** The reader's choice. It belongs to the reader, not the link, so it is not in the URL. */
export function storedTheme(): Theme {
  try {
    const t = localStorage.getItem(key);
    return t === "light" || t === "dark" ? t : "auto";
  } catch {
    return "auto"; // files may have no storage
  }
}

export function storeTheme(t: Theme): void {
  try {
    if (t === "auto") localStorage.removeItem(key);
    else localStorage.setItem(key, t);
  } catch {
    // As above: the choice lasts as long as the page.
  }
}
