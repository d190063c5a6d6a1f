import { BroadcastChannel } from 'node:worker_threads';
import { DelayedTask } from './later.js';

/** Time between a change and the news of it. Listeners find the changes that have come meanwhile, too. */
const GATHER_MS = 25;

/** Tells the other threads of this process that something has changed, such as the files of a directory. Where nothing changes, nobody wakes. */
export class ThreadSignal {
  private channel: BroadcastChannel | undefined;
  private readonly later = new DelayedTask(GATHER_MS, () => {
    this.here();
    this.channel ??= channelOf(this.of);
    this.channel.postMessage(null);
  });

  /** @param here told in this thread, likewise */
  constructor(
    readonly of: string,
    private readonly here: () => void = () => {},
  ) {}

  /** To be called with each change. */
  tell(): void {
    this.later.ask();
  }

  close(): void {
    this.later.close();
    this.channel?.close();
  }
}

/** Calls `listener` some moments after changes that another thread has made. Returns how to stop. */
export const onNews = (of: string, listener: () => void): (() => void) => {
  const channel = channelOf(of);
  channel.onmessage = listener;
  return () => channel.close();
};

const channelOf = (name: string): BroadcastChannel => {
  const channel = new BroadcastChannel(name);
  channel.unref();
  return channel;
};
