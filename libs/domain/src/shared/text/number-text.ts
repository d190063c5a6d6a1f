/** A JSON number kept as its text, because it may exceed the range or precision of a JavaScript number. */
export class NumberText {
  constructor(readonly text: string) {}
}
