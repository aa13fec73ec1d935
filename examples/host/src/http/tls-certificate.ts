import { readFileSync, statSync } from 'node:fs'
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls'
import { type Config, ConfigError } from '../config/config.ts'
import type { HostLog } from '../log/log.ts'

type Files = NonNullable<Config['tls']>

/**
 * Mozilla's "intermediate" configuration, version 6.0. Node's defaults also accept suites without forward secrecy or
 * with CBC, CCM and ARIA.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')
const CURVES = 'X25519:prime256v1:secp384r1'
const CURVES_WITH_HYBRID = `X25519MLKEM768:${CURVES}`

/** How often it is looked whether the files have changed. Milliseconds. */
const LOOK_MS = 10_000

/**
 * What a TLS listener needs of the two files.
 * @throws ConfigError when one cannot be read, or they are not a certificate and its key
 */
export function readCertificate(files: Files): SecureContextOptions {
  const cert = readPem(files.cert, 'SVC_TLS_CERT')
  const key = readPem(files.key, 'SVC_TLS_KEY')
  const options = {
    cert,
    key,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    honorCipherOrder: false,
    ecdhCurve: knowsHybrid() ? CURVES_WITH_HYBRID : CURVES,
  } as const
  try {
    createSecureContext(options)
  } catch {
    throw new ConfigError(['SVC_TLS_CERT, SVC_TLS_KEY: not a certificate and its key'])
  }
  return options
}

/** Node 22 has an OpenSSL without the hybrid group. */
function knowsHybrid(): boolean {
  try {
    createSecureContext({ ecdhCurve: CURVES_WITH_HYBRID })
    return true
  } catch {
    return false
  }
}

function readPem(path: string, name: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    throw new ConfigError([`${name}: the file cannot be read`])
  }
}

/** A certificate that is renewed while the server runs. */
export interface CertificateFiles {
  /** Reads the files now. A pair that is no good is told in the log, and the old one stays. */
  reload(): void
  /** Looks no more. */
  close(): void
}

/**
 * Takes the certificate again when its files change: new handshakes use it, open connections stay. The files are looked
 * at, not watched, since renewals replace links and folders.
 */
export function followCertificate(
  server: Server,
  files: Files,
  log: Pick<HostLog, 'error' | 'info'> | undefined,
  lookMs: number = LOOK_MS,
): CertificateFiles {
  let seen = traceOf(files)

  function reload(): void {
    seen = traceOf(files)
    try {
      server.setSecureContext(readCertificate(files))
      log?.info('tls.reloaded')
    } catch (error) {
      log?.error('tls.reload_failed', { cause: String(error) })
    }
  }

  const timer = setInterval(() => {
    if (traceOf(files) !== seen) reload()
  }, lookMs)
  timer.unref()
  return { reload, close: () => clearInterval(timer) }
}

/** Differs when a file was replaced or written to. */
function traceOf({ cert, key }: Files): string {
  return [cert, key].map(traceOfFile).join(' ')
}

function traceOfFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats === undefined ? 'none' : `${stats.ino}/${stats.size}/${stats.mtimeMs}`
}
