/** What the bundles of the server and of the packages of tests have in common. */

/** Native code and files to serve, which stay packages beside the bundle. */
export const outside = ['lmdb', 'swagger-ui-dist'];

/** Those, and what Nest and its Swagger module would load if it were installed. */
export const external = [
  ...outside,
  '@fastify/multipart',
  '@fastify/view',
  '@nestjs/microservices',
  '@nestjs/microservices/*',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  '@nestjs/websockets/*',
  'class-transformer',
];

/** What CommonJS packages expect around them. */
export const commonJs = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;
