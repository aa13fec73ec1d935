// Whether the server of this container lives, for HEALTHCHECK: exit code 0 or 1.
//
//   node healthcheck.js [port]
const [port = '8080'] = process.argv.slice(2)
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/health/live`, {
    signal: AbortSignal.timeout(2500),
  })
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
