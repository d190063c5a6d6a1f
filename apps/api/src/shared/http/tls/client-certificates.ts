import type { IncomingMessage } from 'node:http';

/** What a client showed at the TLS handshake: a certificate that was checked, or why it is refused, in words. */
export type ClientCertificate = Readonly<{ subject: string; refusal?: never } | { refusal: string; subject?: never }>;

/** By request: no header of a client can say it. Filled by the listener that asks for certificates, and by nothing else. */
const shown = new WeakMap<IncomingMessage, ClientCertificate>();

/** For the listener. `subject`: as `X509Certificate` of Node shows it. */
export const noteClientCertificate = (request: IncomingMessage, certificate: ClientCertificate): void => {
  shown.set(request, certificate);
};

/** `undefined` for requests that came by another listener. */
export const clientCertificateOf = (request: IncomingMessage): ClientCertificate | undefined => shown.get(request);
