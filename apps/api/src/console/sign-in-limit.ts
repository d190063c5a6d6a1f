import { LRUCache } from 'lru-cache';

const MOST_WRONG = 10;
const WINDOW_MS = 60_000;
/** The addresses that were seen longest ago are forgotten beyond this. */
const MOST_ADDRESSES = 10_000;

/** Of IPv6 the network of 64 bits, all addresses of which one client can have. Compressed or mapped addresses need no exact form here. */
const networkOf = (address: string): string => (address.includes('.') ? address : address.split(':').slice(0, 4).join(':'));

/**
 * Bounds wrong sign-ins: ten a minute from one address; then its sign-ins are refused until the minute is over, whatever their key. An
 * attempt counts before its key is looked up, so that attempts sent at once are bounded, too.
 */
export class SignInLimit {
  private readonly attempts = new LRUCache<string, { wrong: number; readonly endsAt: number }>({ max: MOST_ADDRESSES });

  /** Counts an attempt; returns seconds to wait before the next one if it is refused, else 0. */
  begin(address: string): number {
    const now = performance.now();
    const network = networkOf(address);
    const known = this.attempts.get(network);
    const minute = known && known.endsAt > now ? known : { wrong: 0, endsAt: now + WINDOW_MS };
    if (minute.wrong >= MOST_WRONG) return Math.ceil((minute.endsAt - now) / 1_000);
    minute.wrong++;
    this.attempts.set(network, minute);
    return 0;
  }

  /** The key of an attempt was right, or could not be looked up. */
  takeBack(address: string): void {
    const minute = this.attempts.get(networkOf(address));
    if (minute) minute.wrong--;
  }
}
