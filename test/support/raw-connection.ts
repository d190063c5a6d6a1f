import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection that sends bytes as they are given, whole requests or not, and keeps what comes back. */
export type RawConnection = Readonly<{
  /** What the server has sent up to now. */
  text(): string;
  /** Sends more; resolves when the kernel took it, or the connection is gone. */
  send(bytes: string | Buffer): Promise<void>;
  /** Resolves with all that came once it contains this, or the connection has ended. */
  until(text: string): Promise<string>;
  /** Resolves with all that came when the server has ended the connection. */
  ended: Promise<string>;
  /** Whether the connection is still there. */
  readonly isOpen: boolean;
  close(): void;
}>;

/** Connects to a server. Errors of the connection end it, as the other side would see it. */
export const rawConnection = async (url: string): Promise<RawConnection> => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  let open = true;
  const waiting = new Set<() => void>();
  const changed = (): void => {
    for (const look of waiting) look();
  };
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    changed();
  });
  const gone = (): void => {
    open = false;
    changed();
  };
  socket.on('error', gone).on('end', gone).on('close', gone);
  await once(socket, 'connect');
  const when = (isSo: () => boolean): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (open && !isSo()) return;
        waiting.delete(look);
        resolve(text);
      };
      waiting.add(look);
      look();
    });
  return {
    text: () => text,
    send: (bytes) =>
      new Promise((resolve) => {
        if (socket.destroyed) resolve();
        else socket.write(bytes, () => resolve());
      }),
    until: (wanted) => when(() => text.includes(wanted)),
    ended: when(() => false),
    get isOpen() {
      return open;
    },
    close: () => socket.destroy(),
  };
};

/** The start of a request: its line and headers. */
export const requestHead = (method: string, path: string, headers: Readonly<Record<string, string>>): string =>
  [`${method} ${path} HTTP/1.1`, 'host: logbook', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', ''].join(
    '\r\n',
  );

/** The status and the body of the first answer in what a server sent. */
export const answerIn = (text: string): Readonly<{ status: number; head: string; body: string }> => {
  const end = text.indexOf('\r\n\r\n');
  return { status: Number(text.slice(9, 12)), head: text.slice(0, end).toLowerCase(), body: text.slice(end + 4) };
};
