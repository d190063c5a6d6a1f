/** One check. `data`: what it has found. */
type Check = Readonly<{ name: string; isUp: boolean; data?: Readonly<Record<string, string>> }>;

/** Health as Quarkus SmallRye Health answers it at `/q/health`, for probes of the accounting service. */
export const quarkusHealth = (checks: readonly Check[]) => {
  const isUp = checks.every((check) => check.isUp);
  const word = (up: boolean): 'UP' | 'DOWN' => (up ? 'UP' : 'DOWN');
  const shown = checks.map(({ name, data, isUp: up }) => ({ name, status: word(up), ...(data && { data }) }));
  return { status: isUp ? 200 : 503, body: { status: word(isUp), checks: shown } } as const;
};

/** The only check of readiness. @param reason why the server is not ready; `null` if it is */
export const readinessCheck = (reason: string | null): Check => ({
  name: 'readiness',
  isUp: reason === null,
  ...(reason !== null && { data: { reason } }),
});
