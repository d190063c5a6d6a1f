import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomFrom } from '#test/faults/random.js';
import { type Link, openLink } from './link.js';

describe('a wire that may fail', () => {
  let server: Server;
  let link: Link;
  /** What the server was sent, over all connections. */
  let arrived: string;
  const open: Socket[] = [];
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        arrived += bytes.toString();
        socket.write(bytes);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.close();
  });
  beforeEach(async () => {
    arrived = '';
    link = await openLink(randomFrom(1));
    link.leadTo((server.address() as AddressInfo).port);
  });
  afterEach(async () => {
    for (const socket of open.splice(0)) socket.destroy();
    await link.close();
  });

  const call = async () => {
    const socket = connect(link.port, '127.0.0.1');
    open.push(socket);
    const heard = { text: '', wake: () => {} };
    socket.on('data', (bytes: Buffer) => {
      heard.text += bytes.toString();
      heard.wake();
    });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const hear = async (text: string): Promise<void> => {
      while (heard.text !== text) await new Promise<void>((resolve) => (heard.wake = resolve));
    };
    return { socket, heard, say: (text: string) => socket.write(text), hear };
  };
  const closed = (socket: Socket) => new Promise((resolve) => socket.on('close', resolve));
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('carries bytes both ways', async () => {
    const { say, hear } = await call();
    say('hello');
    await hear('hello');
  });

  it('keeps what is answered while it is mute, and what is said while it stalls; then all of it comes', async () => {
    const { say, hear, heard } = await call();
    say('a');
    await hear('a');
    link.hold('back');
    say('b');
    await until(() => arrived === 'ab');
    link.hold('both');
    say('c');
    const other = await call();
    other.say('d');
    expect([heard.text, arrived]).toEqual(['a', 'ab']);
    link.hold('none');
    await hear('abc');
    await other.hear('d');
  });

  it('keeps the order of a connection however late its pieces come', async () => {
    const { say, hear } = await call();
    link.delay(20);
    const pieces = Array.from({ length: 20 }, (_, index) => `${index} `);
    for (const piece of pieces) {
      say(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await hear(pieces.join(''));
    link.delay(0);
    say('end');
    await hear(`${pieces.join('')}end`);
  });

  it('resets connections, and refuses new ones until it is told otherwise', async () => {
    const { socket } = await call();
    link.refuse(true);
    link.reset();
    await closed(socket);
    await closed(connect(link.port, '127.0.0.1').on('error', () => undefined));
    link.refuse(false);
    const { say, hear } = await call();
    say('again');
    await hear('again');
  });

  it('leads elsewhere after a restart of the other side', async () => {
    const other = createServer((socket) => socket.on('error', () => undefined).end('other')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    link.leadTo((other.address() as AddressInfo).port);
    const { hear } = await call();
    await hear('other');
    other.close();
  });
});
