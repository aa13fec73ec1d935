import type { Page } from 'playwright-core'

/** Sections of the settings app, also those that not every server has. */
const SECTIONS = ['', 'profile', 'security', 'devices', 'apps', 'notifications', 'activity']

/** Chooses the passphrase of a new owner, who lands on the home page. @param link - what the server printed */
export async function onboardInBrowser(
  page: Page,
  link: string,
  passphrase: string,
): Promise<void> {
  const { host } = new URL(link)
  await page.goto(link)
  await page.locator('#passphrase').fill(passphrase)
  await page.locator('#choose-passphrase button[type=submit]').click()
  await page.waitForURL((url) => url.host === `home.${host}`)
}

/**
 * Opens the home page and every section of the settings of an owner who is logged in.
 * @param domain - of the instance, with its port
 * @returns errors that a page shows, and requests without an answer, or whose answer is 404 or kept from the page
 */
export async function firstPageFaults(page: Page, domain: string): Promise<string[]> {
  const faults: string[] = []
  page.on('requestfailed', (request) => {
    // What the next page ends is no fault.
    const text = request.failure()?.errorText
    if (text !== 'net::ERR_ABORTED') faults.push(`${request.url()} failed: ${text}`)
  })
  page.on('response', (response) => {
    if (response.status() === 404) faults.push(`${response.url()} is not there`)
  })
  const settings = SECTIONS.map((section) => `http://settings.${domain}/#/${section}`)
  for (const address of [`http://home.${domain}/`, ...settings]) {
    // Another hash alone would not load the page again.
    await page.goto('about:blank')
    await page.goto(address, { waitUntil: 'networkidle' })
    const shown = await page.getByRole('alert').allInnerTexts()
    // Forms reserve room for what they may have to say.
    for (const text of shown.filter((words) => words !== '')) {
      faults.push(`${address} shows: ${text}`)
    }
  }
  page.removeAllListeners('requestfailed').removeAllListeners('response')
  return faults
}
