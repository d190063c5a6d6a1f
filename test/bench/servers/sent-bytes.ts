import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** Counts, from now on, the bytes that servers of this thread send. Linux counts them among those given to write calls, with the bytes of files. */
export const countSentBytes = (): (() => number) => {
  const open = new Set<Socket>();
  let ofClosed = 0;
  subscribe('net.server.socket', (message) => {
    const { socket } = message as Readonly<{ socket: Socket }>;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      ofClosed += socket.bytesWritten;
    });
  });
  return () => [...open].reduce((sum, { bytesWritten }) => sum + bytesWritten, ofClosed);
};
