import { en, type Texts } from "./en.ts";
export const ru: Texts = { ...en };
