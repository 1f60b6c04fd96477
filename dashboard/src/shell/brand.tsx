export function Brand() {
  return (
    <>
      <BrandMark />
      <span className="wordmark">postrider</span>
    </>
  );
}

/** The mark: a P whose bowl is a horseshoe, with five nail holes. */
export function BrandMark() {
  return (
    <svg className="mk" viewBox="0 0 22 24" fill="none" aria-hidden="true">
      <path
        d="M3.2 21.5V3.1h8a6.2 6.2 0 0 1 0 12.4H8.8"
        stroke="currentColor"
        strokeWidth="4.3"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <g className="mark-holes">
        <circle cx="10.6" cy="3.1" r=".95" />
        <circle cx="15.1" cy="4.7" r=".95" />
        <circle cx="17.4" cy="9.3" r=".95" />
        <circle cx="15.1" cy="13.9" r=".95" />
        <circle cx="10.6" cy="15.5" r=".95" />
      </g>
    </svg>
  );
}
