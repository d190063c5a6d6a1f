/** Columns of numbers as bytes. Every number takes as few bytes as its size needs (seven bits a byte, least significant first). */

/** Writes numbers from 0 to 2^53 - 1. */
export class NumberWriter {
  private bytes = Buffer.allocUnsafe(4_096);
  private length = 0;

  number(value: number): void {
    if (this.length + 8 > this.bytes.length) this.bytes = Buffer.concat([this.bytes], this.bytes.length * 2);
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest % 0x80) + 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.bytes[this.length++] = rest;
  }

  /** A text as its length in bytes and its bytes. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.number(bytes.length);
    this.bytes = Buffer.concat([this.bytes.subarray(0, this.length), bytes, Buffer.allocUnsafe(4_096)]);
    this.length += bytes.length;
  }

  all(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

export class NumberReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  number(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte % 0x80) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }

  text(): string {
    const length = this.number();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }
}

/** Numbers that grow evenly, such as times of a probe, as differences of their differences, which are mostly 0. */
export class EvenNumbers {
  private last = 0;
  private step = 0;

  /** What to store for the next number. */
  stored(value: number): number {
    const step = value - this.last;
    const change = step - this.step;
    this.last = value;
    this.step = step;
    return change < 0 ? -2 * change - 1 : 2 * change;
  }

  /** The next number, by what was stored for it. */
  value(stored: number): number {
    this.step += stored % 2 === 1 ? -(stored + 1) / 2 : stored / 2;
    this.last += this.step;
    return this.last;
  }
}
