import type { Provider, Type } from '@nestjs/common';

/** Contribution of a feature to the module of its service. */
export type Feature = Readonly<{ controllers: readonly Type[]; providers: readonly Provider[] }>;

/** Joins the features of a service. Routes are registered and described in their order. */
export const together = (...features: readonly Feature[]) => ({
  controllers: features.flatMap(({ controllers }) => controllers),
  providers: features.flatMap(({ providers }) => providers),
});
