/** A document that an earlier event must have left. @throws Error if there is none: log and read model contradict each other */
export const known = <Document>(document: Document | undefined, name: string): Document => {
  if (document === undefined) throw new Error(`the read model has no ${name}`);
  return document;
};
