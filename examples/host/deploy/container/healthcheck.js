// Whether the server of this container lives, for HEALTHCHECK: exit code 0 or 1.
const port = process.env.SVC_PORT ?? '8080'
try {
  const { ok } = await fetch(`http://127.0.0.1:${port}/health/live`, {
    signal: AbortSignal.timeout(2500),
  })
  process.exitCode = ok ? 0 : 1
} catch {
  process.exitCode = 1
}
