import type { Argument, Command } from 'commander';
import { examples } from '#operator/frame.js';

/** An option as shown in help. `names`: such as `-V` and `--version`. */
type DescribedOption = Readonly<{ names: readonly string[]; flags: string; description: string; takesValue: boolean }>;

/** A command as described in its help, for completion and manual. `path`: its words after `logbook`. */
export type DescribedCommand = Readonly<{
  path: readonly string[];
  /** Its arguments as written: `<name...>`. */
  usage: string;
  description: string;
  options: readonly DescribedOption[];
  /** Names and descriptions of its subcommands. */
  commands: readonly Readonly<{ name: string; description: string }>[];
  example: string | undefined;
}>;

const argumentText = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** A program and all its commands, each before its subcommands. */
export const describedCommands = (command: Command, path: readonly string[] = []): readonly DescribedCommand[] => {
  const help = command.createHelp();
  const below = help.visibleCommands(command).filter((one) => command.commands.includes(one));
  const described: DescribedCommand = {
    path,
    usage: command.registeredArguments.map(argumentText).join(' '),
    description: command.description(),
    options: help.visibleOptions(command).map((option) => ({
      names: [option.short, option.long].filter((name) => name !== undefined),
      flags: option.flags,
      description: help.optionDescription(option),
      takesValue: option.required || option.optional,
    })),
    commands: below.map((one) => ({ name: one.name(), description: one.description() })),
    example: examples.get(command),
  };
  return [described, ...below.flatMap((one) => describedCommands(one, [...path, one.name()]))];
};
