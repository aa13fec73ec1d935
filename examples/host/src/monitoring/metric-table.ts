/** One figure that the host shows. Its name is kept for good once it was released. */
export interface MetricRow {
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** Never a domain, instance, client, address or path. */
  readonly labels?: readonly string[]
  /** Of histograms, in their unit. */
  readonly buckets?: readonly number[]
}

const SHORT = [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

export type MetricName =
  | 'svc_audit_total'
  | 'svc_backup_verified_timestamp_seconds'
  | 'svc_build_info'
  | 'svc_bus_gaps_total'
  | 'svc_certificate_expiry_timestamp_seconds'
  | 'svc_cimd_fetch_seconds'
  | 'svc_cimd_fetches_total'
  | 'svc_connections'
  | 'svc_connections_refused_total'
  | 'svc_disk_free_bytes'
  | 'svc_disk_size_bytes'
  | 'svc_hash_queue'
  | 'svc_hash_seconds'
  | 'svc_http_in_flight'
  | 'svc_http_limited_total'
  | 'svc_http_request_seconds'
  | 'svc_http_unavailable_total'
  | 'svc_instances'
  | 'svc_low_space'
  | 'svc_mcp_call_seconds'
  | 'svc_mcp_calls_total'
  | 'svc_mcp_documents_total'
  | 'svc_mcp_grants'
  | 'svc_notification_attempts_total'
  | 'svc_notifications_accepted_total'
  | 'svc_notifications_finished_total'
  | 'svc_notifications_waiting'
  | 'svc_provider_calls_total'
  | 'svc_refresh_total'
  | 'svc_scheduler_due'
  | 'svc_scheduler_late_seconds'
  | 'svc_sealing_values'
  | 'svc_store_errors_total'
  | 'svc_store_seconds'
  | 'svc_websocket_connections'
  | 'svc_websocket_subscriptions'

/**
 * Every figure of the host's own; `docs/reference/metrics.md` is made from these rows. Beside them stand those that
 * prom-client collects of Node and the process.
 */
export const METRICS: Readonly<Record<MetricName, MetricRow>> = {
  svc_audit_total: {
    type: 'counter',
    help: 'Events of the audit log that this process wrote',
    labels: ['event'],
  },
  svc_backup_verified_timestamp_seconds: {
    type: 'gauge',
    help: 'When the last backup was verified; 0 when none was',
  },
  svc_build_info: {
    type: 'gauge',
    help: 'Always 1; the version of the server and of Node',
    labels: ['version', 'node'],
  },
  svc_bus_gaps_total: {
    type: 'counter',
    help: 'Times that messages between processes may have been lost',
  },
  svc_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: "When the server's own certificate ends; absent without one",
  },
  svc_cimd_fetch_seconds: {
    type: 'histogram',
    help: 'Time to fetch a document that describes a client',
    buckets: SHORT,
  },
  svc_cimd_fetches_total: {
    type: 'counter',
    help: 'Fetches of documents that describe clients: fetched, invalid, status (other than 200), timeout, unreachable',
    labels: ['outcome'],
  },
  svc_connections: {
    type: 'gauge',
    help: 'Open connections: active while a request is answered, upgraded as websockets, else idle',
    labels: ['state'],
  },
  svc_connections_refused_total: {
    type: 'counter',
    help: 'Connections that were refused or cut, by reason',
    labels: ['reason'],
  },
  svc_disk_free_bytes: { type: 'gauge', help: 'Free space where the data directory is' },
  svc_disk_size_bytes: {
    type: 'gauge',
    help: 'Free and used space where the data directory is, without what is kept for root',
  },
  svc_hash_queue: {
    type: 'gauge',
    help: 'Hashes of passphrases that run and that wait',
    labels: ['state'],
  },
  svc_hash_seconds: {
    type: 'histogram',
    help: 'Time to hash a passphrase, without waiting for its turn',
    buckets: SHORT,
  },
  svc_http_in_flight: { type: 'gauge', help: 'Requests that are being handled' },
  svc_http_limited_total: {
    type: 'counter',
    help: 'Requests refused by a limit',
    labels: ['route'],
  },
  svc_http_request_seconds: {
    type: 'histogram',
    help: 'Time to answer requests',
    labels: ['method', 'route', 'status'],
    buckets: SHORT,
  },
  svc_http_unavailable_total: {
    type: 'counter',
    help: 'Requests answered 503: store or hash queue not available, or too many requests at once',
    labels: ['route'],
  },
  svc_instances: {
    type: 'gauge',
    help: 'Instances of the store, counted at most every 5 minutes; the same in every process',
  },
  svc_low_space: { type: 'gauge', help: '1 while there is too little space for what grows' },
  svc_mcp_call_seconds: {
    type: 'histogram',
    help: 'Time that a call of an assistant took, its entry included',
    buckets: SHORT,
  },
  svc_mcp_calls_total: {
    type: 'counter',
    help: 'Calls of assistants',
    labels: ['tool', 'outcome'],
  },
  svc_mcp_documents_total: {
    type: 'counter',
    help: 'Documents that assistants were given or wrote',
    labels: ['verb'],
  },
  svc_mcp_grants: {
    type: 'gauge',
    help: 'Grants of assistants that are live, counted at most every 5 minutes; the same in every process',
  },
  svc_notification_attempts_total: {
    type: 'counter',
    help: 'Tries of channels: sent, or failed as permanent, transient or config',
    labels: ['channel', 'class'],
  },
  svc_notifications_accepted_total: {
    type: 'counter',
    help: 'Notifications accepted by this process',
  },
  svc_notifications_finished_total: {
    type: 'counter',
    help: 'Notifications that this process finished, by how; accepted less finished is the queue',
    labels: ['status'],
  },
  svc_notifications_waiting: {
    type: 'gauge',
    help: 'Accepted less finished notifications of this process since it started; the sum over all processes waits',
  },
  svc_provider_calls_total: {
    type: 'counter',
    help: 'Calls to providers, by account type and how they ended',
    labels: ['type', 'class'],
  },
  svc_refresh_total: {
    type: 'counter',
    help: 'Refreshes by clients without a secret: rotated, repeated since an answer may have been lost, reuse of a token replaced too long ago, refused',
    labels: ['outcome'],
  },
  svc_scheduler_due: {
    type: 'gauge',
    help: 'Wake-ups that are due and that this process is handling',
  },
  svc_scheduler_late_seconds: {
    type: 'gauge',
    help: 'How late the latest of the wake-ups of the last minute came',
  },
  svc_sealing_values: {
    type: 'gauge',
    help: 'Values that are sealed with a key, when they were last counted',
    labels: ['kid'],
  },
  svc_store_errors_total: {
    type: 'counter',
    help: 'Operations of the store that failed: unavailable, or any other error',
    labels: ['kind'],
  },
  svc_store_seconds: {
    type: 'histogram',
    help: 'Time of operations of the store',
    labels: ['operation'],
    buckets: SHORT,
  },
  svc_websocket_connections: { type: 'gauge', help: 'Open websocket connections' },
  svc_websocket_subscriptions: { type: 'gauge', help: 'Open websocket subscriptions' },
}

interface InstrumentRow<Labels extends string> {
  readonly name: string
  readonly help: string
  readonly labelNames: Labels[]
}

/** A row as prom-client takes it. */
export function instrument<Labels extends string = never>(name: MetricName): InstrumentRow<Labels> {
  const { help, labels = [] } = METRICS[name]
  return { name, help, labelNames: [...labels] as Labels[] } // The caller names the labels of the row.
}

/** Buckets of a histogram's row. */
export function bucketsOf(name: MetricName): number[] {
  return [...(METRICS[name].buckets ?? [])]
}
