import { queriesOf } from '#projections/shared/queries.js';
import { bindings, CERTIFICATES, type CertificateDocument, type CertificateHolder, holders } from './documents.js';

export { CERTIFICATES, type CertificateDocument, type CertificateHolder } from './documents.js';

/** Bindings of certificates to users of messaging projects. */
export class CertificateQueries extends queriesOf(CERTIFICATES) {
  /** The user whose permissions the certificate with this subject hash grants. */
  holder(subjectHash: string): Promise<CertificateHolder | undefined> {
    return holders.get(this.view, subjectHash);
  }

  binding(id: string): Promise<CertificateDocument | undefined> {
    return bindings.get(this.view, id);
  }

  /** All bindings in force, oldest first. Those of the same millisecond are ordered by id. */
  async all(): Promise<readonly CertificateDocument[]> {
    const documents = await bindings.range(this.view, {});
    return [...documents].sort((left, right) => left.boundAt.localeCompare(right.boundAt) || left.bindingId.localeCompare(right.bindingId));
  }
}
