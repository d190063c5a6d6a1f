/** A schema document does not compile. The message is the text shown to the client (messaging contract 5.2). */
export class SchemaInvalid extends Error {
  override readonly name = 'SchemaInvalid';
}
