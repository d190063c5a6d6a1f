/** A schema document does not compile; the message is the text that the caller is shown (messaging contract 5.2). */
export class SchemaInvalid extends Error {
  override readonly name = 'SchemaInvalid';
}
