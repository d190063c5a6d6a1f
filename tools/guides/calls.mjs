/** The description of the API as Markdown: a page for each service with a section for each call, and an index of them. */
import { anchorOf } from './markdown.mjs';

const parameter = ({ name, in: place, required, description }) =>
  `- \`${name}\` (${place}${required ? ', required' : ''}): ${description.replace(/\s+/g, ' ')}`;

const section = ({ path, method, operationId, summary, description, parameters = [], responses, tags: [tag] }) => `### ${operationId}

\`${method.toUpperCase()} ${path}\`

${summary}.

${description}

${parameters.map(parameter).join('\n')}

Statuses: ${Object.keys(responses).join(', ')}. [Bodies and examples](../docs#/${encodeURIComponent(tag)}/${operationId})
`;

const pageOf = (tag) => `calls-${tag.split(':')[0]}`;

/** Markdown by names of pages. `api`: the description of the API */
export const callsOf = (api) => {
  const calls = Object.entries(api.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const pages = new Map([
    [
      'calls',
      `# Calls\n\n${calls.length} calls, as [openapi.json](../openapi.json) describes them; [API](../docs) shows their bodies, too.\n`,
    ],
  ]);
  const add = (page, text) => pages.set(page, `${pages.get(page) ?? `# Calls: ${page.replace('calls-', '')}\n`}\n${text}`);
  for (const { name, description } of api.tags) {
    add('calls', `- [${name}](${pageOf(name)}#${anchorOf(name)}): ${description}`);
    add(pageOf(name), `## ${name}\n\n${description}.\n`);
    for (const call of calls) if (call.tags[0] === name) add(pageOf(name), section(call));
  }
  return pages;
};
