import type { FlameTexts } from "./flame.ts";

export const texts: FlameTexts = {
  "kind.own": "свой код",
  "kind.std": "стандартная библиотека",
  "kind.dep": "зависимость",
  "kind.other": "прочее",
  all: "всё",
  rest: "{n} {n|меньший|меньших|меньших}",
  ofall: "{value} ({share} от всего)",
  of: "{share} от {name}",
  selfvalue: "сама: {value}",
  total: "всего",
  self: "сама",
  ofzoomed: "от увеличенного",
  "note.kind": "kind: own, std, dep или other",
  "note.literal": "не регулярное выражение: поиск как текста",
  picture:
    "Flame-граф. Стрелки переходят от кадра к кадру, Enter увеличивает, Escape возвращает. Те же кадры есть в таблице.",
};
