import type { Command } from 'commander';
import { WrongUsage } from '#operator/command-failed.js';
import { examples } from '#operator/frame.js';
import { write } from '#operator/terminal.js';
import { COMPLETIONS } from './completion.js';
import { describedCommands } from './described.js';
import { manPage } from './man-page.js';

const addText = (program: Command, name: string, description: string, example: string, textFor: (...args: string[]) => string): void => {
  const command = program
    .command(name)
    .description(description)
    .addHelpText('after', `\nExample:\n  ${example}`)
    .allowExcessArguments(false)
    .action((...given: unknown[]) => write(textFor(...given.slice(0, -2).map(String))));
  examples.set(command, example);
};

const completionOf = (program: Command, shell: string): string => {
  const completion = Object.hasOwn(COMPLETIONS, shell) ? COMPLETIONS[shell] : undefined;
  if (!completion)
    throw new WrongUsage(`error: there is no completion for ${shell}; there is one for ${Object.keys(COMPLETIONS).join(', ')}`);
  return completion(describedCommands(program));
};

/** Adds completion and manual. Both are made from the help of all commands, so they come last. */
export const addManualCommands = (program: Command): void => {
  addText(
    program,
    'completion <shell>',
    'script that lets bash, zsh or fish complete commands and options',
    'source <(logbook completion bash)',
    (shell = '') => completionOf(program, shell),
  );
  addText(program, 'man', 'the manual page', 'logbook man | man -l -', () => manPage(describedCommands(program)));
};
