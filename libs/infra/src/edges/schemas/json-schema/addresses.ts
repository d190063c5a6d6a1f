/** Characters of an atom (RFC 5322 3.2.3, RFC 6532): letters, digits, some punctuation, and all non-ASCII characters. */
const isAtomCharacter = (character: string): boolean => character > '\u007f' || /[\w!#$%&'*+/=?^`{|}~-]/.test(character);

const isBlank = (character: string): boolean => character === ' ' || character === '\t';

/** A printable character or white space, as in quoted texts and comments. */
const isShown = (character: string): boolean => character === '\t' || (character >= ' ' && character !== '\u007f');

/** Maximum nesting of comments. */
const DEEPEST = 100;

/** Reads an address from left to right, each character a bounded number of times. Methods return whether they found the part they name. */
class AddressReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** `a@b`, `<a@b>` or `A <a@b>`, with spaces around it and a comment behind it. */
  mailbox(): boolean {
    this.blanks();
    const start = this.at;
    if (!this.isAt('<') && this.plain() && this.ends()) return true;
    this.at = start;
    this.displayName();
    return this.takes('<') && this.plain() && this.takes('>') && this.ends();
  }

  /** Spaces and comments up to the end. */
  private ends(): boolean {
    this.blanks();
    while (this.isAt('(')) {
      if (!this.comment()) return false;
      this.blanks();
    }
    return this.at === this.text.length;
  }

  /** A local part, `@` and a domain, with spaces before the first and the last. */
  private plain(): boolean {
    this.blanks();
    if (!(this.isAt('"') ? this.quotedText() : this.dottedAtom()) || !this.takes('@')) return false;
    this.blanks();
    return this.isAt('[') ? this.literal() : this.dottedAtom();
  }

  /** Optional words and spaces before `<`; old names contain dots, too. */
  private displayName(): void {
    for (let found = true; found; this.blanks())
      found = this.isAt('"') ? this.quotedText() : this.some((it) => isAtomCharacter(it) || it === '.');
  }

  private dottedAtom(): boolean {
    do {
      if (!this.some(isAtomCharacter)) return false;
    } while (this.takes('.'));
    return true;
  }

  private quotedText(): boolean {
    return this.takes('"') && this.shownUntil('"') && this.takes('"');
  }

  /** Skips printable characters, optionally escaped with a backslash, up to a closing one. */
  private shownUntil(closing: string): boolean {
    while (this.at < this.text.length && !this.isAt(closing)) {
      this.takes('\\');
      if (!isShown(this.text.charAt(this.at++))) return false;
    }
    return this.at < this.text.length;
  }

  /** `[192.0.2.1]`. */
  private literal(): boolean {
    return this.takes('[') && this.some((it) => /[!-Z^-~]/.test(it)) && this.takes(']');
  }

  private comment(): boolean {
    let depth = 0;
    while (this.at < this.text.length) {
      if (this.takes('(')) {
        if (++depth > DEEPEST) return false;
      } else if (this.takes(')')) {
        if (--depth === 0) return true;
      } else {
        this.takes('\\');
        if (!isShown(this.text.charAt(this.at++))) return false;
      }
    }
    return false;
  }

  private blanks(): void {
    while (isBlank(this.text.charAt(this.at))) this.at++;
  }

  /** At least one such character. */
  private some(test: (character: string) => boolean): boolean {
    const start = this.at;
    while (this.at < this.text.length && test(this.text.charAt(this.at))) this.at++;
    return this.at > start;
  }

  private isAt(character: string): boolean {
    return this.text.charAt(this.at) === character;
  }

  private takes(character: string): boolean {
    if (!this.isAt(character)) return false;
    this.at++;
    return true;
  }
}

/**
 * Returns whether a text is one address of RFC 5322 as mail programs read it: with or without a display name, the local part optionally in
 * quotes, non-ASCII characters as in RFC 6532; on one line, no group, no route.
 */
export const isAddress = (text: string): boolean => text.isWellFormed() && new AddressReader(text).mailbox();
