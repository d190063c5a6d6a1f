/** Characters of an atom (RFC 5322 3.2.3, RFC 6532): letters, digits, some signs, and everything beyond ASCII. */
const isAtomCharacter = (character: string): boolean => character > '\u007f' || /[\w!#$%&'*+/=?^`{|}~-]/.test(character);

const isBlank = (character: string): boolean => character === ' ' || character === '\t';

/** A character that may be shown, or a blank: of quoted texts and comments. */
const isShown = (character: string): boolean => character === '\t' || (character >= ' ' && character !== '\u007f');

/** Nesting of comments. */
const DEEPEST = 100;

/** Reads an address from left to right, each character a bounded number of times. Every method returns whether it found what it is named after. */
class AddressReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** `a@b`, `<a@b>` or `A <a@b>`, with blanks around them and a comment behind. */
  mailbox(): boolean {
    this.blanks();
    const start = this.at;
    if (!this.isAt('<') && this.plain() && this.ends()) return true;
    this.at = start;
    this.displayName();
    return this.takes('<') && this.plain() && this.takes('>') && this.ends();
  }

  /** Blanks and comments up to the end. */
  private ends(): boolean {
    this.blanks();
    while (this.isAt('(')) {
      if (!this.comment()) return false;
      this.blanks();
    }
    return this.at === this.text.length;
  }

  /** A local part, `@` and a domain, blanks before the first and the last. */
  private plain(): boolean {
    this.blanks();
    if (!(this.isAt('"') ? this.quotedText() : this.dottedAtom()) || !this.takes('@')) return false;
    this.blanks();
    return this.isAt('[') ? this.literal() : this.dottedAtom();
  }

  /** Words and blanks before `<`, if there are any; old names contain dots, too. */
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

  /** Passes over shown characters, which a backslash may precede, up to a closing one. */
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
 * Whether a text is one address of RFC 5322 as mail programs read it: with or without a display name, the local part perhaps in quotes, characters
 * beyond ASCII as of RFC 6532; on one line, no group, no route.
 */
export const isAddress = (text: string): boolean => text.isWellFormed() && new AddressReader(text).mailbox();
