import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename, dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** This file runs from its source in tests, and from `dist` in `npm run test:faults`. */
const HERE = fileURLToPath(new URL('../../..', import.meta.url));
export const ROOT = basename(HERE) === 'dist' ? dirname(HERE) : HERE;

export type Program = Readonly<{
  name: string;
  command: string;
  /** The name by which the program is called, where it goes by that. */
  called?: string;
  arguments: readonly string[];
  environment?: Readonly<Record<string, string>>;
  /** Directory that it is started in, asked for at each start. Default: this checkout. */
  root?(): string;
  /** The port where it serves, in the line with which it says that it does. */
  servingAt(line: string): number | undefined;
}>;

const PAUSE_MS = 300;
/** Of the lines a process wrote, so many of the newest are kept. */
const LINES_KEPT = 400;

/**
 * A process that is kept running: what ends is started again, as an init system does. Faults are orders to it.
 * An end that nobody ordered, of a process that served already, is noted in `ended`.
 */
export class KeptProcess {
  readonly lines: string[] = [];
  readonly ended: string[] = [];
  private child: ChildProcess | undefined;
  private wanted = false;
  private ordered = false;
  private isServing = false;
  private running: Promise<void> = Promise.resolve();
  private waiting: (() => void)[] = [];

  constructor(
    private readonly program: Program,
    private readonly onServing: (port: number) => void,
  ) {
    process.once('exit', () => this.signal('SIGKILL'));
  }

  get name(): string {
    return this.program.name;
  }

  /** Starts it, again and again if need be; resolves when it serves. */
  async up(): Promise<void> {
    if (!this.wanted) {
      this.wanted = true;
      this.running = this.keep();
    }
    if (this.isServing) return;
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Ends it by SIGKILL or SIGTERM; resolves when it is gone, and stays so until `up`. */
  async down(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    this.wanted = false;
    this.ordered = true;
    this.signal('SIGCONT');
    this.signal(signal);
    // An orderly end may wait for stores that are away.
    const timer = setTimeout(() => this.signal('SIGKILL'), 15_000);
    await this.running;
    clearTimeout(timer);
  }

  freeze(): void {
    this.signal('SIGSTOP');
  }

  thaw(): void {
    this.signal('SIGCONT');
  }

  private signal(name: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.child ?? {};
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name);
  }

  private async keep(): Promise<void> {
    while (this.wanted) {
      await this.runOnce();
      if (this.wanted) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  private async runOnce(): Promise<void> {
    const { PATH = '', HOME = '' } = process.env;
    this.ordered = false;
    const child = spawn(this.program.command, [...this.program.arguments], {
      argv0: this.program.called,
      cwd: this.program.root?.() ?? ROOT,
      env: { PATH, HOME, ...this.program.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, which signals reach as a whole
    });
    this.child = child;
    const gone = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', (line) => this.note(line));
    const [code, signal] = await gone;
    if (this.isServing && !this.ordered)
      this.ended.push(`${this.name} ended by itself (${code ?? signal}): ${this.lines.slice(-5).join('\n')}`);
    this.isServing = false;
    this.child = undefined;
  }

  private note(line: string): void {
    this.lines.push(line);
    if (this.lines.length > LINES_KEPT) this.lines.splice(0, this.lines.length - LINES_KEPT);
    const port = this.isServing ? undefined : this.program.servingAt(line);
    if (port === undefined) return;
    this.isServing = true;
    this.onServing(port);
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
