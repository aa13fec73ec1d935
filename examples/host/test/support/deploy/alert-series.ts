/** A series as `promtool test rules` writes it: one value a minute. */
interface Series {
  readonly series: string
  readonly values: string
}

/** When an alert must fire, and when it must be silent. */
export interface AlertCase {
  readonly alert: string
  readonly fires: readonly Series[]
  readonly silent: readonly Series[]
  /** When both are looked at, such as `20m`. */
  readonly at: string
}

const of = (series: string, values: string): readonly Series[] => [{ series, values }]
const requests = (good: string, bad: string): readonly Series[] => [
  { series: 'svc_http_request_seconds_count{job="svc",instance="a",status="200"}', values: good },
  { series: 'svc_http_request_seconds_count{job="svc",instance="a",status="500"}', values: bad },
]
const latency = (within: string, all: string): readonly Series[] => [
  { series: 'svc_http_request_seconds_bucket{job="svc",le="1"}', values: within },
  { series: 'svc_http_request_seconds_bucket{job="svc",le="5"}', values: all },
  { series: 'svc_http_request_seconds_bucket{job="svc",le="+Inf"}', values: all },
]
const pair = (one: string, ofOne: string, other: string, ofOther: string): readonly Series[] => [
  ...of(`${one}{job="svc",instance="a"}`, ofOne),
  ...of(`${other}{job="svc",instance="a"}`, ofOther),
]
const disk = (free: number): readonly Series[] =>
  pair('svc_disk_free_bytes', `${free}x60`, 'svc_disk_size_bytes', '100x60')
const failedLogins = 'svc_audit_total{job="svc",event="login.failed"}'
const DAYS_30 = 30 * 86_400

const one = (
  alert: string,
  at: string,
  series: string,
  fires: string,
  silent: string,
): AlertCase => ({ alert, at, fires: of(series, fires), silent: of(series, silent) })

export const ALERT_CASES: readonly AlertCase[] = [
  one('SvcNotReady', '5m', 'up{job="svc",instance="a"}', '0x10', '1x10'),
  {
    alert: 'SvcErrors',
    fires: requests('0+98x30', '0+2x30'),
    silent: requests('0+999x30', '0+1x30'),
    at: '20m',
  },
  {
    alert: 'SvcSlow',
    fires: latency('0+90x40', '0+100x40'),
    silent: latency('0+100x40', '0+100x40'),
    at: '30m',
  },
  one(
    'SvcEventLoopDelay',
    '10m',
    'nodejs_eventloop_lag_p99_seconds{job="svc"}',
    '0.3x20',
    '0.02x20',
  ),
  one(
    'SvcHashQueueFull',
    '10m',
    'svc_http_unavailable_total{job="svc",route="/auth/login"}',
    '0+5x20',
    '5x20',
  ),
  one(
    'SvcStoreErrors',
    '10m',
    'svc_store_errors_total{job="svc",kind="unavailable"}',
    '0+1x20',
    '3x20',
  ),
  one('SvcBusGaps', '8m', 'svc_bus_gaps_total{job="svc"}', '0 0 0 1x20', '1x20'),
  one('SvcSchedulerLate', '5m', 'svc_scheduler_late_seconds{job="svc"}', '400x20', '20x20'),
  one(
    'SvcNotificationsWaiting',
    '80m',
    'svc_notifications_waiting{job="svc"}',
    '10+1x90',
    '100-1x90',
  ),
  one('SvcFailedLogins', '1460m', failedLogins, '0+0x1440 0+60x30', '0+10x1500'),
  { alert: 'SvcDiskLow', fires: disk(12), silent: disk(20), at: '10m' },
  { alert: 'SvcDiskAlmostFull', fires: disk(4), silent: disk(6), at: '10m' },
  one(
    'SvcCertificateEnds',
    '90m',
    'svc_certificate_expiry_timestamp_seconds{job="svc"}',
    `${10 * 86_400}x120`,
    `${DAYS_30}x120`,
  ),
  one(
    'SvcBackupOld',
    '1600m',
    'svc_backup_verified_timestamp_seconds{job="svc"}',
    '0x1700',
    '60000x1700',
  ),
  one('SvcRedisAppendOnlyOff', '10m', 'redis_aof_enabled{job="redis"}', '0x20', '1x20'),
  {
    alert: 'SvcVersionsDiffer',
    fires: [
      ...of('svc_build_info{job="svc",instance="a",version="1.0.0"}', '1x1600'),
      ...of('svc_build_info{job="svc",instance="b",version="1.1.0"}', '1x1600'),
    ],
    silent: [
      ...of('svc_build_info{job="svc",instance="a",version="1.0.0"}', '1x1600'),
      ...of('svc_build_info{job="svc",instance="b",version="1.0.0"}', '1x1600'),
    ],
    at: '1500m',
  },
  {
    alert: 'SvcDescriptors',
    fires: pair('process_open_fds', '900x20', 'process_max_fds', '1000x20'),
    silent: pair('process_open_fds', '700x20', 'process_max_fds', '1000x20'),
    at: '10m',
  },
]
