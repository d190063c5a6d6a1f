/** What the configuration says about the messaging service. */
export class MessagingSettings {
  constructor(
    /** The data of a message must be base64. */
    readonly strictBase64: boolean,
    /** The approval of a registration that names no project issues one. */
    readonly projectOnApproval: boolean,
  ) {}
}
