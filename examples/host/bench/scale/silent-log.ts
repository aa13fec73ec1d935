import type { HostLog } from '../../src/log/log.ts'

/** Of a host whose lines nobody reads. */
export const SILENT: HostLog = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  store: { warn: () => {}, error: () => {} },
  flush: async () => {},
  flushNow: () => {},
}
