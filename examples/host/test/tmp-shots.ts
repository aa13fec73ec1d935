import { launchChromium } from '@svc/testkit'
import { SAMPLES } from '../../../packages/auth-ui/test/support/sample-models.ts'
import { sampleServer } from '../../../packages/auth-ui/test/support/sample-server.ts'
const pages = await sampleServer()
const browser = await launchChromium({ port: pages.port, domains: ['alice.localhost'] })
const [width, scheme, locale, ...want] = process.argv.slice(2)
const page = await browser.newPage({
  viewport: { width: Number(width), height: 700 },
  colorScheme: scheme as 'light',
})
for (const name of Object.keys(SAMPLES)) {
  if (want.length > 0 && !want.includes(name)) continue
  await page.goto(`http://alice.localhost:${pages.port}/${name}?locale=${locale}`)
  await page.waitForLoadState('load')
  await page.screenshot({
    path: `/tmp/w/pics/${name}-${width}-${scheme}-${locale}.png`,
    fullPage: true,
  })
}
await browser.close()
await pages.close()
