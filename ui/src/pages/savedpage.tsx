import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { getText } from "../api/client.ts";
import { Failure, Loading } from "../parts/basics.tsx";
import { useLoad } from "../state/load.ts";
import { file } from "../state/route.ts";
import { sharing } from "../state/shell.ts";

/** A page that is a document by itself, in a page that was saved. */
export function SavedPage({ path }: { path: string }): JSX.Element {
  const name = file.value;
  const { value, error } = useLoad(`${path} ${name}`, () => getText(path, { file: name, format: "html" }));
  useEffect(() => {
    sharing.value = { command: ["whet", "ui", name] };
  }, [name]);
  if (error !== null) return <Failure error={error} />;
  if (!value) return <Loading />;
  return <iframe class="saved-page" title={name} srcDoc={value} />;
}
