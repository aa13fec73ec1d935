/** Descriptors left for the store, files, and calls to others. */
const RESERVED = 512

/** Missing in the types of Node. */
type Report = typeof process.report & { excludeNetwork?: boolean }

let known: number | undefined

/**
 * How many connections this process can hold: its limit of open files, less what it needs itself. Read once: each report
 * takes some milliseconds.
 */
export function connectionsThatFit(): number {
  known ??= readLimit()
  return known
}

function readLimit(): number {
  const report: Report = process.report
  const { excludeNetwork = false } = report
  // Looking up the names of all who are connected may take long.
  report.excludeNetwork = true
  try {
    return fromReport(report.getReport())
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/** No figure stands there where the system has none: on Windows, or when it is `unlimited`. */
function fromReport(report: object): number {
  const { userLimits } = report as { userLimits?: { open_files?: { soft?: unknown } } }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? Math.max(1, soft - RESERVED) : Number.POSITIVE_INFINITY
}
