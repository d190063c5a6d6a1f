/** A kind of record in words. In lists of resources, which all records are, a `resource` is one of the catalogue of accounting. */
export const kindText = (kind: string): string =>
  kind === 'resource' ? 'catalogue resource' : kind.replaceAll('_', ' ').replace(/^oidc/, 'OIDC');
