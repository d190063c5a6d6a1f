export type ListenerConfiguration = Readonly<{
  /** Project that receives announced records. */
  projectId: string;
  /** Answer to the messaging service when it verifies this listener. */
  verificationHash: string | undefined;
}>;
/** Injection token. */
export const LISTENER_CONFIGURATION = Symbol('ListenerConfiguration');

/** Actor and creator of all records from the push listener. */
export const LISTENER_ID = 'from-ams';
