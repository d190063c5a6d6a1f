import type { INestApplicationContext } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import { type HandlerRoute, idIn, routeOf } from './route.js';
export type DeclaredRoute = HandlerRoute & Readonly<{ controllerPath: string }>;

const routesIn = (controller: Readonly<{ prototype: Record<string, object> }>, scanner: MetadataScanner): readonly DeclaredRoute[] => {
  const controllerPath = `${Reflect.getMetadata(PATH_METADATA, controller)}`;
  return scanner.getAllMethodNames(controller.prototype).flatMap((name) => {
    const route = routeOf(controller.prototype[name] ?? {});
    return route ? [{ ...route, controllerPath }] : [];
  });
};

/** Declarations of an application's routes, by operation id. @throws two routes have the same id */
export const declaredRoutes = (app: INestApplicationContext): ReadonlyMap<string, DeclaredRoute> => {
  const scanner = new MetadataScanner();
  const wrappers = [...app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
  const controllers = new Set(wrappers.flatMap(({ metatype }) => metatype ?? []));
  const routes = new Map<string, DeclaredRoute>();
  for (const route of [...controllers].flatMap((controller) => routesIn(controller, scanner)))
    for (const id of Object.values(route.paths).map(idIn)) {
      if (routes.has(id)) throw new Error(`two routes have the id ${id}`);
      routes.set(id, route);
    }
  return routes;
};
