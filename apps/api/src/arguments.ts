const OPTION = '--roles';

/** The environment, with what `--roles <roles>` or `--roles=<roles>` says in place of `LOGBOOK_ROLES`. An option without roles is an invalid one. */
export const withRoles = (environment: NodeJS.ProcessEnv, given: readonly string[]): NodeJS.ProcessEnv => {
  const at = given.findIndex((one) => one === OPTION || one.startsWith(`${OPTION}=`));
  if (at < 0) return environment;
  const roles = given[at] === OPTION ? given[at + 1] : given[at]?.slice(OPTION.length + 1);
  return { ...environment, LOGBOOK_ROLES: roles || 'none' };
};
