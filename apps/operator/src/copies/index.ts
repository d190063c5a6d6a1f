import type { Command } from 'commander';
import { addBackupCommands } from './backup.js';
import { addExportCommand } from './export.js';
import { addImportCommand } from './import.js';

/** Copies of the log (operations contract 6). */
export const addCopiesCommands = (program: Command): void => {
  addBackupCommands(program);
  addExportCommand(program);
  addImportCommand(program);
};
