import fastify, { type FastifyReply } from 'fastify';
import { description, servePages } from '#api/operations/documentation.js';

/** `npm run docs`: the pages of a server without its stores and calls, on this machine only. */
const pages = fastify();
servePages(pages, false);
pages.get('/openapi.json', (_request: unknown, reply: FastifyReply) => reply.type('application/json; charset=utf-8').send(description()));
pages.get('/', (_request: unknown, reply: FastifyReply) => reply.redirect('guides/documents'));
// The pages link to the console of their server; here it is shown by its pictures.
pages.get('/console', (_request: unknown, reply: FastifyReply) => reply.redirect('guides/console'));

const url = await pages.listen({ host: '127.0.0.1', port: Number(process.env.LOGBOOK_PORT ?? 0) });
process.stdout.write(
  `The documents are ready: ${url}/guides/documents\n  API      ${url}/docs\n  search   ${url}/guides/search\n  Ctrl-C ends it.\n`,
);
