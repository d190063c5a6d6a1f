/** A number by the text that spells it, in JSON that is read or written: it need not be one that JavaScript can hold. */
export class NumberText {
  constructor(readonly text: string) {}
}
