/** A document that an earlier event must have created. @throws Error if it is missing, because then log and read model contradict each other */
export const known = <Document>(document: Document | undefined, name: string): Document => {
  if (document === undefined) throw new Error(`the read model has no ${name}`);
  return document;
};
