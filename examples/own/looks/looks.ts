import path from 'node:path'
import type { AuthUiOptions } from '@svc/auth-ui'

const cssFile = path.join(import.meta.dirname, 'looks.css')
const help = { text: 'Help', href: 'https://help.example.com/' }

export const looks = {
  // One theme, or one for each instance and client.
  theme: ({ domain }, client) => ({
    name: 'Recipe Box',
    accent: domain.startsWith('alice.') ? '#7a1fa2' : '#0b4f8a',
    radius: client === undefined ? '12px' : '4px',
    scheme: 'light',
    cssFile,
    links: [{ label: 'Imprint', href: '/imprint' }],
  }),
  // The keys are those of locales/en.json of the package.
  texts: {
    en: { 'login.title': 'Welcome to the kitchen', 'login.submit': 'Come in' },
    fr: { 'login.title': 'Bienvenue en cuisine' },
  },
  // Paragraphs of words and links; never markup.
  slots: {
    'page.footer': () => [['Something does not work? ', help]],
    'consent.before': ({ client, locale }) =>
      client?.metadata.client_uri === undefined
        ? [
            locale === 'fr'
              ? 'Cette application ne dit pas qui la fait.'
              : 'This app does not say who makes it.',
          ]
        : [],
  },
} satisfies Partial<AuthUiOptions>
