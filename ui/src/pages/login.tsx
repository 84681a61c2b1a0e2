import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { locked, post } from "../api/client.ts";
import { Failure } from "../parts/basics.tsx";
import { watchFiles } from "../state/files.ts";
import { t } from "../texts/index.ts";

/** Asks for the server's token. */
export function Login(): JSX.Element {
  const [error, fail] = useState<unknown>(null);
  const [token, setToken] = useState("");
  const enter = async (e: Event) => {
    e.preventDefault();
    try {
      await post("/session", { token: token.trim() });
      locked.value = false;
      void watchFiles();
    } catch (err) {
      fail(err);
    }
  };
  return (
    <main class="page login">
      <form onSubmit={(e) => void enter(e)}>
        <h1>whet</h1>
        <p>{t("login.text")}</p>
        <label>
          {t("login.token")}
          <input
            type="password"
            autocomplete="current-password"
            required
            autofocus
            value={token}
            onInput={(e) => setToken(e.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          {t("login.enter")}
        </button>
        {error !== null && <Failure error={error} />}
      </form>
    </main>
  );
}
