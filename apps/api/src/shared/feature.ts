import type { Provider, Type } from '@nestjs/common';

/** What a feature adds to the module of its service. */
export type Feature = Readonly<{ controllers: readonly Type[]; providers: readonly Provider[] }>;

/** The features of a service as one; routes are registered and described in their order. */
export const together = (...features: readonly Feature[]) => ({
  controllers: features.flatMap(({ controllers }) => controllers),
  providers: features.flatMap(({ providers }) => providers),
});
