/**
 * What processes of the server and its commands exit with, where it is not 0 for success and 1 for a failure.
 * @see docs/decisions/0212
 */
export const EXIT_CODES = {
  /** A start of the server that failed. */
  server: {
    /** Keys, or anything else that the operator set: another start does not help. `EX_CONFIG` of sysexits. */
    configuration: 78,
    /** The store or a port: another start may help. `EX_TEMPFAIL` of sysexits. */
    unavailable: 75,
    other: 1,
  },
  'activity verify': { broken: 1 },
  backup: { faulty: 2 },
  doctor: { fault: 2 },
} as const
