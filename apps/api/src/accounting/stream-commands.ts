import { toStreams } from '#api/shared/commands/handlers.js';
import { CATALOGUE_STREAM, projectStream } from '#domain/accounting/catalogue/catalogue-events.js';
import { catalogue } from '#domain/accounting/catalogue/catalogue-rules.js';
import { projectContents } from '#domain/accounting/projects/project-rules.js';

/** Target of commands: the stream of all projects, providers and resources. */
export const toCatalogue = toStreams(catalogue, () => CATALOGUE_STREAM);

/** Target of commands: the stream of the project, with its associations and installations. */
export const toProject = toStreams(projectContents, ({ projectId }) => projectStream(projectId));
