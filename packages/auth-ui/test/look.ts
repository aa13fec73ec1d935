import { launchChromium } from '@svc/testkit'
import { sampleServer } from './support/sample-server.ts'
const s = await sampleServer()
const b = await launchChromium({ port: s.port, domains: [] })
const jobs = process.argv.slice(2)
for (const job of jobs) {
  const [name, w, h, scheme, locale, full] = job.split(',')
  const c = await b.newContext({ viewport: { width: Number(w), height: Number(h) }, colorScheme: scheme as 'light' })
  const p = await c.newPage()
  await p.goto(`${s.origin}/${name}?locale=${locale}`)
  await p.waitForTimeout(700)
  if (full === 'open') for (const d of await p.locator('summary').all()) await d.click()
  await p.screenshot({ path: `/tmp/w/shotsH/${name}-${w}-${scheme}-${locale}${full ? '-' + full : ''}.png`, fullPage: full !== undefined })
  console.log(job, await p.evaluate(() => [document.documentElement.scrollHeight, Math.round(document.querySelector('.answer')!.getBoundingClientRect().height), Math.round(document.querySelector('.target')!.getBoundingClientRect().bottom)]))
  await c.close()
}
await b.close(); await s.close()
