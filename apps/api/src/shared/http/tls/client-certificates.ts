import type { IncomingMessage } from 'node:http';

/** Client certificate of the TLS handshake: a verified one, or the reason of its refusal in words. */
export type ClientCertificate = Readonly<{ subject: string; refusal?: never } | { refusal: string; subject?: never }>;

/** By request, because a client can set any header. Only the listener that requests certificates fills it. */
const shown = new WeakMap<IncomingMessage, ClientCertificate>();

/** For the listener. `subject`: in the form of Node's `X509Certificate`. */
export const noteClientCertificate = (request: IncomingMessage, certificate: ClientCertificate): void => {
  shown.set(request, certificate);
};

/** `undefined` for requests to another listener. */
export const clientCertificateOf = (request: IncomingMessage): ClientCertificate | undefined => shown.get(request);
