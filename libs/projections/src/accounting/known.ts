/** A document that an earlier event must have left. @throws Error there is none: the log and the read model do not fit together */
export const known = <Document>(document: Document | undefined, name: string): Document => {
  if (document === undefined) throw new Error(`the read model has no ${name}`);
  return document;
};
