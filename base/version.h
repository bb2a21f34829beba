// Which Heddle this is.
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

extern const char heddle_version[];
// The commit that was built, with a + behind it if files had changed since; "unknown" where the tree is no checkout.
extern const char heddle_commit[];

#endif
