import type { INestApplicationContext } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type Declaration, declarationOf } from './route.js';

/** A route of a controller. */
export type DeclaredRoute = Readonly<{ declaration: Declaration; controllerPath: string }>;

const routesIn = (controller: Readonly<{ prototype: Record<string, object> }>, scanner: MetadataScanner): readonly DeclaredRoute[] => {
  const controllerPath = `${Reflect.getMetadata(PATH_METADATA, controller)}`;
  return scanner.getAllMethodNames(controller.prototype).flatMap((name) => {
    const declaration = declarationOf(controller.prototype[name] ?? {});
    return declaration ? [{ declaration, controllerPath }] : [];
  });
};

/** What the routes of an application declare, by operation id. @throws two routes have the same id */
export const declaredRoutes = (app: INestApplicationContext): ReadonlyMap<string, DeclaredRoute> => {
  const scanner = new MetadataScanner();
  const wrappers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const controllers = new Set(wrappers.map(({ metatype }) => metatype as unknown as Readonly<{ prototype: Record<string, object> }>));
  const routes = new Map<string, DeclaredRoute>();
  for (const route of [...controllers].flatMap((controller) => routesIn(controller, scanner)))
    for (const { id } of [route.declaration, ...(route.declaration.also ? [route.declaration.also] : [])]) {
      if (routes.has(id)) throw new Error(`two routes have the id ${id}`);
      routes.set(id, route);
    }
  return routes;
};
