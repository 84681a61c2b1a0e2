import type { JSX } from "preact";
import { isSaved } from "../api/client.ts";
import { editorAddress } from "../lib/editor.ts";
import { files } from "../state/files.ts";
import { t } from "../texts/index.ts";

/**
 * A place in source, which opens in the user's editor if it is in the module that whet ui was started in. text, if not
 * given, is the file and the line; line 0 is none. own is false of places that may be in another module.
 */
export function EditorPlace(props: {
  file: string;
  line?: number | undefined;
  text?: string;
  own?: boolean;
}): JSX.Element {
  const { file, line = 0, text = line > 0 ? `${file}:${line}` : file, own } = props;
  const address = isSaved() ? "" : editorAddress(files.value?.editor, file, line, own);
  if (address === "") return <>{text}</>;
  return (
    <a class="editor-place" href={address} title={t("app.editor")}>
      {text}
    </a>
  );
}
